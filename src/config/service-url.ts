import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * The address of a service that secrets travel to, without a slash at its end. Plain http is taken on loopback only:
 * anywhere else the path to it could read a token or forge an answer.
 */
export function readServiceUrl(text: string): string {
  const url = readHttpUrl(text);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new Error('must be an https URL; http is accepted on loopback addresses only');
  }
  return withoutSlash(url);
}

/** The address under which people and CI reach this service; it serves no path below a host, so it has none. */
export function readPublicUrl(text: string): string {
  const url = readHttpUrl(text);
  if (url.pathname !== '/') throw new Error('must not have a path');
  return url.origin;
}

function readHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw new Error('must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw new Error('must not hold a user name or password');
  if (url.search !== '' || url.hash !== '') throw new Error('must not have a query or fragment');
  return url;
}

/** Whether the address leads nowhere but to the machine that uses it. */
export const isLoopbackUrl = (url: string): boolean => isLoopback(new URL(url).hostname);

function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(bare);
  return bare === 'localhost' || (family !== 0 && loopback.check(bare, family === 6 ? 'ipv6' : 'ipv4'));
}

const withoutSlash = ({ origin, pathname }: URL): string => `${origin}${pathname.replace(/\/+$/, '')}`;
