import { describe, expect, it } from '@jest/globals';
import { fileIntegrity, type FileIntegrity, type FileState, type TamperedFile, diffTampering } from './tampering.js';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const FOREIGN = 'c'.repeat(40);
const isPublished = (sha: string): boolean => sha === OLD || sha === NEW;

describe('an installed file', () => {
  it.each<[string, FileState, FileIntegrity]>([
    ['as it is published now', { kind: 'file', blobSha: NEW }, 'intact'],
    ['as it was published once', { kind: 'file', blobSha: OLD }, 'intact'],
    ['of any other content', { kind: 'file', blobSha: FOREIGN }, 'tampered'],
    ['in whose place something else lies', { kind: 'other' }, 'tampered'],
    ['that the branch had', { kind: 'absent', everThere: true }, 'tampered'],
    ['that the branch never had', { kind: 'absent', everThere: false }, 'not_installed'],
  ])('%s', (_name, found, expected) => {
    expect(fileIntegrity(found, isPublished)).toBe(expected);
  });
});

describe('the change of what is tampered with', () => {
  const ci: TamperedFile = { branch: 'main', path: 'ci.yml' };
  const gate: TamperedFile = { branch: 'main', path: 'gate.yml' };
  const released: TamperedFile = { branch: 'release/v1', path: 'ci.yml' };

  it('tells each file on each branch apart', () => {
    expect(diffTampering([ci, released], [{ ...ci }, gate])).toEqual({ tampered: [gate], restored: [released] });
  });

  it('is none where nothing changed', () => {
    expect(diffTampering([ci], [{ ...ci }])).toEqual({ tampered: [], restored: [] });
  });

  it('takes no two files for one, however they are called', () => {
    const [one, other] = [
      { branch: 'a","b', path: 'c' },
      { branch: 'a', path: 'b","c' },
    ];
    expect(diffTampering([one], [other])).toEqual({ tampered: [other], restored: [one] });
  });
});
