import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOrCreateSecret } from './generated-secret.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shipgate-secret-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('returns the secret of the process that saved it first', () => {
  const ours = loadOrCreateSecret(folder, 'secret', () => {
    loadOrCreateSecret(folder, 'secret', () => 'theirs');
    return 'ours';
  });
  expect(ours).toBe('theirs');
  expect(readdirSync(folder)).toEqual(['secret']);
});
