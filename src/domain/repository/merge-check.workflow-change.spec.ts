import { describe, expect, it } from '@jest/globals';
import { checkWorkflowChange } from './merge-check.js';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const THEIRS = 'c'.repeat(40);
const OTHER = 'd'.repeat(40);
const isPublished = (sha: string): boolean => sha === OLD || sha === NEW;

describe('a change of a managed file', () => {
  it.each<[string, string | null, string | null, boolean, string]>([
    ['adds it as published', null, NEW, false, 'published'],
    ['brings it up to date', OLD, NEW, true, 'published'],
    ['takes it back to what was published once', NEW, OLD, true, 'published'],
    ['restores it', THEIRS, NEW, true, 'published'],
    ["puts it in the place of the team's own", THEIRS, NEW, false, 'published'],
    ['changes it', NEW, THEIRS, true, 'foreign'],
    ['removes it', NEW, null, true, 'foreign'],
    ['changes it further', THEIRS, OTHER, true, 'foreign'],
    ['removes what it was changed to', THEIRS, null, true, 'foreign'],
    ['adds another in its place', null, THEIRS, false, 'foreign'],
    ['adds another where it was removed', null, THEIRS, true, 'foreign'],
    ['changes what is published and was installed by hand', NEW, THEIRS, false, 'foreign'],
    ["changes the team's own", THEIRS, OTHER, false, 'own'],
    ["removes the team's own", THEIRS, null, false, 'own'],
  ])('that %s', (_what, before, after, isInstalled, expected) => {
    expect(checkWorkflowChange({ before, after }, { isInstalled, isPublished })).toBe(expected);
  });
});
