/** Tells whether a host of a URL is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);
}
