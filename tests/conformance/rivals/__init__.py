"""PM2 and clusterd behind one interface, and what is needed to compare them."""
