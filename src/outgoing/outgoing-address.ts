import ipaddr from 'ipaddr.js';

/** Global unicast addresses of IPv6. Everything else is special, or holds an address of IPv4. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Azure answers its virtual machines here, with their credentials, although the address looks public. */
const AZURE_METADATA = '168.63.129.16';

/** Returns whether the address is on the internet: not loopback, private, link-local, multicast, metadata or special in another way. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_METADATA) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

export const isLoopbackAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
