import { describe, expect, it } from '@jest/globals';
import { fileIntegrity, type FileIntegrity, type FileState, type TamperedFile, diffTampering } from './tampering.js';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const FOREIGN = 'c'.repeat(40);
const isPublished = (sha: string): boolean => sha === OLD || sha === NEW;

describe('fileIntegrity', () => {
  it.each<[string, FileState, FileIntegrity]>([
    ['with the current published content', { kind: 'file', blobSha: NEW }, 'intact'],
    ['with an earlier published content', { kind: 'file', blobSha: OLD }, 'intact'],
    ['with any other content', { kind: 'file', blobSha: FOREIGN }, 'tampered'],
    ['replaced by something else', { kind: 'other' }, 'tampered'],
    ['that was removed from the branch', { kind: 'absent', everThere: true }, 'tampered'],
    ['that never existed on the branch', { kind: 'absent', everThere: false }, 'not_installed'],
  ])('returns the integrity of an installed file %s', (_name, found, expected) => {
    expect(fileIntegrity(found, isPublished)).toBe(expected);
  });
});

describe('diffTampering', () => {
  const ci: TamperedFile = { branch: 'main', path: 'ci.yml' };
  const gate: TamperedFile = { branch: 'main', path: 'gate.yml' };
  const released: TamperedFile = { branch: 'release/v1', path: 'ci.yml' };

  it('compares each file on each branch separately', () => {
    expect(diffTampering([ci, released], [{ ...ci }, gate])).toEqual({ tampered: [gate], restored: [released] });
  });

  it('is empty without a change', () => {
    expect(diffTampering([ci], [{ ...ci }])).toEqual({ tampered: [], restored: [] });
  });

  it('does not confuse two files with any names', () => {
    const [one, other] = [
      { branch: 'a","b', path: 'c' },
      { branch: 'a', path: 'b","c' },
    ];
    expect(diffTampering([one], [other])).toEqual({ tampered: [other], restored: [one] });
  });
});
