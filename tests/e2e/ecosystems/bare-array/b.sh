exec sleep 100000
