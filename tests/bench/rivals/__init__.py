"""Those who are compared."""

from .bare import Bare
from .clusterd import Clusterd
from .node_cluster import NodeCluster
from .pm2 import Pm2Cluster, Pm2Fork
from .service_trees import S6, Runit
from .supervisord import Supervisord

ALL = (Clusterd, Bare, Pm2Fork, Pm2Cluster, NodeCluster, Supervisord, Runit, S6)
BY_KEY = {rival.key: rival for rival in ALL}
