import { isIP } from 'node:net';

/** An address or CIDR, as `10.0.0.0/8` or `::1`. */
export function readNetwork(text: string): string {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  const prefixHolds = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest);
  if (family === 0 || !prefixHolds || rest.length > 0) {
    throw new Error(`has "${text}", which is neither an address nor a CIDR`);
  }
  if (Number(prefix) === 0) throw new Error(`has "${text}", which is the whole internet: name your proxy alone`);
  return text;
}
