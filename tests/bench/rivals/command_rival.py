"""CommandRival: a rival with PM2's words: apps from an ecosystem file, `start`, `stop`, `restart`, `reload`, `scale`."""

import json

from .rival import App, Rival


class CommandRival(Rival):
    file_name = "ecosystem.json"
    patience = {}  # options of run()

    def program_path(self):
        raise NotImplementedError

    def described(self, app: App) -> dict:
        words = self.words_of(app)
        script, *arguments = words[1:] if app.is_node else words
        described = {"name": app.name, "script": script, "args": arguments, "instances": app.count}
        if not app.logged:
            described |= {"out_file": "/dev/null", "error_file": "/dev/null"}
        return described

    def command(self, *words) -> str:
        return self.run(self.program_path(), *words, **self.patience)

    def start(self, *apps: App):
        path = self.folder / self.file_name
        path.write_text(json.dumps({"apps": [self.described(app) for app in apps]}))
        self.command("start", path)

    def stop(self, app: App):
        self.command("stop", app.name)

    def restart(self, app: App):
        self.command("restart", app.name)

    def reload(self, app: App):
        self.command("reload", app.name)

    def scale(self, app: App, count: int):
        self.command("scale", app.name, count)

    def list_command(self) -> list:
        return [self.program_path(), "list"]

    def ping_command(self) -> list:
        return [self.program_path(), "ping"]
