"""Node's own cluster module, with the smallest primary there is (programs/primary.js)."""

from .rival import App, Rival


class NodeCluster(Rival):
    key = "node-cluster"
    title = "node:cluster"

    @classmethod
    def missing(cls, lab) -> str:
        return "" if lab.node else "there is no node"

    def start(self, *apps: App):
        [app] = apps
        self._process = self.popen("node", self.lab.program("primary.js"), app.count, *self.words_of(app)[1:])

    def supervisors(self) -> list[int]:
        return [self._process.pid]

    def close(self):
        super().close()
        self._process.wait()
