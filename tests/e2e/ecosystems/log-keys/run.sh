#!/bin/sh
echo started
echo failing >&2
exec sleep 100000
