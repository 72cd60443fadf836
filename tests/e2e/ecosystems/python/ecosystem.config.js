module.exports = {
  apps: [
    {
      name: "django",
      script: "manage.py",
      args: ["runserver", "127.0.0.1:@PORT@", "--noreload"],
      interpreter: "python3",
      interpreter_args: "-u -O",
      exec_mode: "fork",
      env: { DJANGO_SETTINGS_MODULE: "site.settings" },
    },
    { name: "celery", script: "./celery-worker", exec_interpreter: "none" },
    { name: "module", script: "python3", args: "-m http.server @PORT2@ --bind 127.0.0.1" },
  ],
};
