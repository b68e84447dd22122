import { describe, expect, it } from '@jest/globals';
import { isLoopbackAddress, isPublicAddress } from './outgoing-address.js';

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '140.82.121.4', '2606:50c0:8000::153', '2a00:1450:4001:80b::200e', '::ffff:8.8.8.8'])(
    'accepts %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['loopback', '::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback', '::ffff:7f00:1'],
    ['mapped metadata', '::ffff:a9fe:a9fe'],
    ['compatible loopback', '::127.0.0.1'],
    ['translated loopback', '::ffff:0:127.0.0.1'],
    ['NAT64 of loopback', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['6to4 of a private address', '2002:a00:1::1'],
    ['6to4 of a public address', '2002:808:808::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['private', '10.1.2.3'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT, with metadata of Alibaba', '100.100.100.200'],
    ['link-local, metadata', '169.254.169.254'],
    ['link-local', '169.254.1.1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['unique local, metadata of AWS', 'fd00:ec2::254'],
    ['site-local', 'fec0::1'],
    ['metadata of Azure', '168.63.129.16'],
    ['metadata of Azure, mapped', '::ffff:168.63.129.16'],
    ['metadata of Oracle', '192.0.0.192'],
    ['multicast', '224.0.0.251'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '0.0.0.0'],
    ['unspecified', '0.1.2.3'],
    ['unspecified', '::'],
    ['benchmarking', '198.18.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['reserved', '240.0.0.1'],
    ['discard', '100::1'],
    ['outside global unicast', '4000::1'],
    ['no address', 'localhost'],
    ['no address', ''],
  ])('refuses %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('isLoopbackAddress', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.1', false],
    ['::', false],
    ['localhost', false],
  ])('of %s is %s', (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });
});
