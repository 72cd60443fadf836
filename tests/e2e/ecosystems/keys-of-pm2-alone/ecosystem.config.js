module.exports = {
  apps: [
    { name: "first", script: "app.js", vizion: false, pmx: false, source_map_support: true, trace: true, kill_retry_time: 50 },
    { name: "second", script: "app.js", vizion: false, automation: false, treekill: true, windowsHide: true, force: true },
  ],
};
