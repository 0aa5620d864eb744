// Loaded before the example of a worker: answers for the service that the example calls.
const real = globalThis.fetch;
globalThis.fetch = async (input, init) =>
  String(input).startsWith("https://reports.example.com/") ? new Response() : real(input, init);
