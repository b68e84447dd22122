import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { type ChainHead, ChainVerifier, EMPTY_CHAIN, hashEntry, type StoredEntry } from './hash-chain.js';

const ORG = '11111111-1111-4111-8111-111111111111';
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Builds a chain of this many entries in the form in which they are stored. */
function chain(length: number, orgId = ORG): StoredEntry[] {
  const entries: StoredEntry[] = [];
  let previousHash = EMPTY_CHAIN.hash;
  for (let sequence = 1; sequence <= length; sequence += 1) {
    const content = {
      previousHash,
      orgId,
      sequence,
      id: `entry-${sequence}`,
      at: `2026-05-04T10:00:0${sequence}.000Z`,
      actor: { type: 'person', id: 7, login: 'ada' },
      action: 'member.joined',
      subject: 'grace',
      data: { role: 'member', n: sequence },
    };
    const { orgId: _, actor, data, ...rest } = content;
    previousHash = hashEntry(content, digest);
    entries.push({ ...rest, actor: JSON.stringify(actor), data: JSON.stringify(data), hash: previousHash });
  }
  return entries;
}

function walk(entries: readonly StoredEntry[], savedHeads: readonly ChainHead[] = [], stored = entries.length) {
  const walk = new ChainVerifier(ORG, digest, savedHeads);
  const taken = entries.filter((entry) => walk.add(entry)).length;
  return { taken, head: walk.head, fault: walk.finish(stored) };
}

const headAt = (entries: readonly StoredEntry[], sequence: number): ChainHead => ({
  sequence,
  hash: entries[sequence - 1]!.hash,
});

describe('the audit chain', () => {
  it('hashes a text that an auditor can rebuild from the entry', () => {
    const text = `{"action":"member.joined","actor":{"id":7,"login":"ada","type":"person"},"at":"2026-05-04T10:00:01.000Z","data":{"n":1,"role":"member"},"id":"entry-1","orgId":"${ORG}","previousHash":"${'0'.repeat(64)}","sequence":1,"subject":"grace"}`;
    expect(chain(1)[0]!.hash).toBe(digest(text));
  });

  it('accepts a chain if the JSON of its entries has another order of members', () => {
    const entries = chain(4);
    const turned = entries.map((entry) => ({ ...entry, data: `{ "n": ${entry.sequence}, "role": "member" }` }));
    expect(walk(turned)).toEqual({ taken: 4, head: headAt(entries, 4), fault: null });
    expect(walk([])).toEqual({ taken: 0, head: EMPTY_CHAIN, fault: null });
  });

  it.each<[keyof StoredEntry, string]>([
    ['id', 'entry-9'],
    ['at', '2026-05-04T10:00:02.001Z'],
    ['actor', '{"type":"person","id":8,"login":"ada"}'],
    ['action', 'member.removed'],
    ['subject', 'grace '],
    ['data', '{"role":"admin","n":2}'],
    ['hash', 'f'.repeat(64)],
  ])('detects a changed %s', (column, value) => {
    const entries = chain(4);
    entries[1] = { ...entries[1]!, [column]: value };
    expect(walk(entries)).toEqual({
      taken: 1,
      head: headAt(entries, 1),
      fault: { sequence: 2, detail: 'its content and its hash disagree' },
    });
  });

  it('detects another previous hash, and a number that only rounds to the written one', () => {
    const entries = chain(4);
    const broken = entries.with(2, { ...entries[2]!, previousHash: entries[0]!.hash });
    expect(walk(broken).fault).toEqual({ sequence: 3, detail: 'it does not follow from the entry before it' });
    const rounded = entries.with(2, { ...entries[2]!, data: '{"role":"member","n":3.00000000000000000001}' });
    expect(walk(rounded).fault).toEqual({ sequence: 3, detail: 'it contains a number that the service never writes' });
    const actor = entries.with(2, { ...entries[2]!, actor: '{"type":"person","id":7.0,"login":"ada"}' });
    expect(walk(actor).fault).toEqual({ sequence: 3, detail: 'it contains a number that the service never writes' });
  });

  it('detects that a later entry does not follow from an entry that was changed and hashed again', () => {
    const entries = chain(4);
    const rehashed = { ...entries[1]!, subject: 'eve' };
    const { hash: _, ...content } = rehashed;
    const hash = hashEntry(
      { ...content, orgId: ORG, actor: JSON.parse(content.actor), data: JSON.parse(content.data) },
      digest,
    );
    expect(walk(entries.with(1, { ...rehashed, hash })).fault).toMatchObject({ sequence: 3 });
  });

  it('detects entries that are missing, duplicated or out of order', () => {
    const entries = chain(4);
    const [first, second, third, fourth] = entries as [StoredEntry, StoredEntry, StoredEntry, StoredEntry];
    expect(walk([first, third, fourth]).fault).toEqual({ sequence: 2, detail: 'it is missing: the next is 3' });
    expect(walk([second, third]).fault).toEqual({ sequence: 1, detail: 'it is missing: the next is 2' });
    expect(walk([first, second, second]).fault).toEqual({ sequence: 3, detail: 'it is missing: the next is 2' });
    const swapped = [first, { ...third, sequence: 2 }, { ...second, sequence: 3 }, fourth];
    expect(walk(swapped).fault).toEqual({ sequence: 2, detail: 'it does not follow from the entry before it' });
  });

  it('detects stored rows that were not read', () => {
    expect(walk(chain(4), [], 5).fault).toEqual({
      sequence: 1,
      detail: '5 entries are stored up to number 4',
    });
  });

  it('detects the entries of another workspace', () => {
    const foreign = chain(2, '22222222-2222-4222-8222-222222222222');
    expect(walk(foreign).fault).toEqual({ sequence: 1, detail: 'its content and its hash disagree' });
  });

  it('stops at the first fault', () => {
    const entries = chain(3);
    const walk = new ChainVerifier(ORG, digest);
    expect(walk.add(entries[1]!)).toBe(false);
    expect(walk.add(entries[0]!)).toBe(false);
    expect(walk.head).toEqual(EMPTY_CHAIN);
  });
});

describe('a chain head that was saved elsewhere', () => {
  it('matches the chain that it was taken from, also after the chain has grown', () => {
    const entries = chain(4);
    const savedHeads = [EMPTY_CHAIN, headAt(entries, 2), headAt(entries, 4)];
    expect(walk(entries, savedHeads).fault).toBeNull();
  });

  it('detects missing last entries, which the chain alone cannot detect', () => {
    const entries = chain(4);
    expect(walk(entries.slice(0, 3)).fault).toBeNull();
    expect(walk(entries.slice(0, 3), [headAt(entries, 4)]).fault).toEqual({
      sequence: 4,
      detail: 'it is missing: a saved head is later',
    });
    expect(walk([], [headAt(entries, 4)]).fault).toMatchObject({ sequence: 1 });
  });

  it('detects a chain that was rewritten from its first entry', () => {
    const entries = chain(4);
    const savedHeads = [{ sequence: 3, hash: 'a'.repeat(64) }];
    expect(walk(entries, savedHeads)).toEqual({
      taken: 2,
      head: headAt(entries, 2),
      fault: { sequence: 3, detail: 'its hash differs from the saved head' },
    });
  });

  it('detects both of two heads that contradict each other', () => {
    const entries = chain(2);
    const savedHeads = [{ sequence: 2, hash: 'a'.repeat(64) }, headAt(entries, 2)];
    expect(walk(entries, savedHeads).fault).toMatchObject({ sequence: 2 });
    expect(walk(entries, savedHeads.toReversed()).fault).toMatchObject({ sequence: 2 });
  });
});
