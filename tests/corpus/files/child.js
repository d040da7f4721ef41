// child.js - child processes, pipes, digests, timers, files.
const { execFileSync, spawn } = require("child_process"), fs = require("fs");
console.log(execFileSync("sh", ["-c", "echo from a child; exit 0"]).toString().trim());
fs.writeFileSync("out.txt", "line\n".repeat(100));
console.log(require("crypto").createHash("sha256").update(fs.readFileSync("out.txt")).digest("hex"));
const cat = spawn("cat");
cat.stdout.on("data", d => console.log("cat says " + d));
cat.on("exit", (code, signal) => { console.log(code, signal); setTimeout(() => process.exit(3), 5); });
cat.stdin.end("hello");
