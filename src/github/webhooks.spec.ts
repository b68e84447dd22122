import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { WebhookSignatures } from './webhooks.js';

const SECRET = 'the secret of the app';
const sign = (body: Buffer, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const TEXT = Buffer.from('{"name":"Zoë ✓"}');
const NOT_UTF8 = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]);

describe.each([
  [
    'buffered',
    (body: Buffer, signature: string | undefined, ...secrets: readonly string[]) =>
      new WebhookSignatures().verifySignature(body, signature, secrets),
  ],
  [
    'streamed',
    (body: Buffer, signature: string | undefined, ...secrets: readonly string[]) =>
      new WebhookSignatures().verifyStreamSignature([body.subarray(0, 3), body.subarray(3)], signature, secrets),
  ],
])('the signature of a %s body', (_, isSigned) => {
  it.each([
    ['a text', TEXT],
    ['a text with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), TEXT])],
    ['bytes that are not UTF-8', NOT_UTF8],
    ['an empty body', Buffer.alloc(0)],
  ])('is valid for %s', async (_name, body) => {
    expect(await isSigned(body, sign(body), SECRET)).toBe(true);
  });

  it.each([SECRET, 'its successor'])('is valid for each of two secrets: %s', async (secret) => {
    expect(await isSigned(TEXT, sign(TEXT, secret), SECRET, 'its successor')).toBe(true);
  });

  it.each<[string, Buffer, string | undefined, ...string[]]>([
    ['was made with another secret', TEXT, sign(TEXT, 'another secret'), SECRET],
    ['was made for another body', TEXT, sign(NOT_UTF8), SECRET],
    [
      'was made for the decoded text of bytes that are not UTF-8',
      NOT_UTF8,
      sign(Buffer.from(NOT_UTF8.toString())),
      SECRET,
    ],
    ['is missing', TEXT, undefined, SECRET],
    ['is empty', TEXT, '', SECRET],
    ['is in capitals', TEXT, sign(TEXT).toUpperCase(), SECRET],
    ['is truncated', TEXT, sign(TEXT).slice(0, -1), SECRET],
    ['is of SHA-1', TEXT, `sha1=${createHmac('sha1', SECRET).update(TEXT).digest('hex')}`, SECRET],
    ['was made with an empty secret', TEXT, sign(TEXT, ''), ''],
    ['was made with a third secret', TEXT, sign(TEXT, 'a third one'), SECRET, 'its successor'],
    ['is verified without a secret', TEXT, sign(TEXT, '')],
  ])('is rejected if it %s', async (_name, body, signature, ...secrets) => {
    expect(await isSigned(body, signature, ...secrets)).toBe(false);
  });
});

it('is verified with the current secret, not with the former one', async () => {
  const signatures = new WebhookSignatures();
  expect(await signatures.verifySignature(TEXT, sign(TEXT), [SECRET])).toBe(true);
  expect(await signatures.verifySignature(TEXT, sign(TEXT), ['its successor'])).toBe(false);
  expect(await signatures.verifySignature(TEXT, sign(TEXT, 'its successor'), ['its successor'])).toBe(true);
});
