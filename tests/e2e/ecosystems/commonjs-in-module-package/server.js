process.send("ready");
setInterval(() => {}, 1000000);
