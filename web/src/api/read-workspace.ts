/** Returns the workspace that a URL of the dashboard names. Null outside of `/w/{org}`, and for a name that cannot be decoded. */
export function readWorkspace(pathname: string): string | null {
  const org = /^\/w\/([^/?#]+)/.exec(pathname)?.[1];
  if (org === undefined) return null;
  try {
    return decodeURIComponent(org);
  } catch {
    return null;
  }
}
