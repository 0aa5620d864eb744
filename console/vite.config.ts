import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// `npm run dev` serves the sources and passes every other request on to a running server.
const server = process.env.BELFRY_URL ?? "http://127.0.0.1:8642";
const passed = Object.fromEntries(["/api", "/health", "/healthz", "/readyz"].map((path) => [path, { target: server }]));
const sdk = fileURLToPath(new URL("../sdk/typescript/src/index.ts", import.meta.url));

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { belfry: sdk } },
  server: { proxy: passed, fs: { allow: [".."] } },
  // The policy of the page forbids data in scripts and styles, so small files stay files.
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  test: {
    fileParallelism: false,
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts"] } },
      {
        extends: true,
        test: { name: "browser", include: ["tests/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 60_000 },
      },
    ],
  },
});
