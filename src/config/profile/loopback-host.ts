/** Tells whether a host of a URL is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);
}

/** Tells whether others on the network could read what is sent to an address. */
export function isReadByOthers(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && !isLoopbackHost(hostname);
}
