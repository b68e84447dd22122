import { describe, expect, it } from '@jest/globals';
import { checkWorkflowChange } from './merge-check.js';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const THEIRS = 'c'.repeat(40);
const OTHER = 'd'.repeat(40);
const isPublished = (sha: string): boolean => sha === OLD || sha === NEW;

describe('checkWorkflowChange', () => {
  it.each<[string, string | null, string | null, boolean, string]>([
    ['adds the published file', null, NEW, false, 'published'],
    ['updates the file', OLD, NEW, true, 'published'],
    ['restores an earlier published file', NEW, OLD, true, 'published'],
    ['restores the current file', THEIRS, NEW, true, 'published'],
    ["replaces the team's own file", THEIRS, NEW, false, 'published'],
    ['changes the installed file', NEW, THEIRS, true, 'foreign'],
    ['removes the installed file', NEW, null, true, 'foreign'],
    ['changes a changed file again', THEIRS, OTHER, true, 'foreign'],
    ['removes a changed file', THEIRS, null, true, 'foreign'],
    ['adds another file with its name', null, THEIRS, false, 'foreign'],
    ['adds another file after it was removed', null, THEIRS, true, 'foreign'],
    ['changes a published file that was installed by hand', NEW, THEIRS, false, 'foreign'],
    ["changes the team's own file", THEIRS, OTHER, false, 'own'],
    ["removes the team's own file", THEIRS, null, false, 'own'],
  ])('classifies a change that %s', (_what, before, after, isInstalled, expected) => {
    expect(checkWorkflowChange({ before, after }, { isInstalled, isPublished })).toBe(expected);
  });
});
