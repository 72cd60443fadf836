setInterval(() => {}, 1000000);
