import { describe, expect, it } from '@jest/globals';
import { encodeForSignature } from './dsse.js';

describe('encodeForSignature', () => {
  it('gives the bytes of the example of the specification', () => {
    const payload = Buffer.from('hello world');
    expect(encodeForSignature('http://example.com/HelloWorld', payload).toString()).toBe(
      'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    );
  });

  it('counts bytes and not characters, and keeps every byte of the payload', () => {
    const bytes = encodeForSignature('é', Uint8Array.of(0, 255));
    expect(bytes).toEqual(Buffer.concat([Buffer.from('DSSEv1 2 é 2 '), Buffer.from([0, 255])]));
  });

  it('gives other bytes if a part moves from the type to the payload', () => {
    expect(encodeForSignature('a 1', Buffer.from('b'))).not.toEqual(encodeForSignature('a', Buffer.from('1 b')));
  });
});
