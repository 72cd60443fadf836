"""What every end-to-end test stands on: a private daemon, real programs, load, and looks into /proc."""
