import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { GateQuery, isPlainGateQuery } from './gate.dto.js';

const isValid = (query: object): boolean =>
  validateSync(plainToInstance(GateQuery, query), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

const ORDINARY = { version: 'v1.4.0', repo: 'acme/payments' };
const LONG = 'a'.repeat(100);
const DIGEST = `sha256:${'4f1c2d9e'.repeat(8)}`;

describe('isPlainGateQuery', () => {
  it.each([
    ORDINARY,
    { ...ORDINARY, repo: 'payments' },
    { ...ORDINARY, version: '2026.11.1-rc.1+build_7' },
    { version: LONG, repo: `${LONG}/${LONG}` },
    { ...ORDINARY, digest: DIGEST },
    { repo: 'payments', digest: DIGEST },
  ])('accepts %j, which the constraints accept', (query) => {
    expect([isPlainGateQuery(query), isValid(query)]).toEqual([true, true]);
  });

  it.each([
    { repo: 'payments' },
    { version: 'v1.4.0' },
    { ...ORDINARY, version: '' },
    { ...ORDINARY, version: `${LONG}a` },
    { ...ORDINARY, version: ['v1.4.0', 'v1.5.0'] },
    { ...ORDINARY, repo: '' },
    { ...ORDINARY, repo: `${LONG}a` },
    { ...ORDINARY, repo: `${LONG}a/payments` },
    { ...ORDINARY, repo: 'acme/' },
    { ...ORDINARY, repo: '/payments' },
    { ...ORDINARY, repo: 'acme/payments/again' },
    { ...ORDINARY, repo: 'acme/payments\n' },
    { ...ORDINARY, repo: ['acme/payments'] },
    { ...ORDINARY, sha: 'short' },
    { ...ORDINARY, digest: 'sha256:4f1c' },
    { ...ORDINARY, digest: `${DIGEST}\n` },
    { ...ORDINARY, digest: DIGEST.toUpperCase() },
    { ...ORDINARY, digest: [DIGEST] },
    { ...ORDINARY, digest: '' },
    { ...ORDINARY, version: '', digest: DIGEST },
    { ...ORDINARY, explain: 'yes' },
    { ...ORDINARY, other: '1' },
  ])('leaves %j to the constraints, which reject it', (query) => {
    expect([isPlainGateQuery(query), isValid(query)]).toEqual([false, false]);
  });

  it.each([
    { ...ORDINARY, version: 'Release One' },
    { ...ORDINARY, explain: 'true' },
    { ...ORDINARY, sha: '0'.repeat(40) },
  ])('leaves %j to the constraints, which accept it', (query) => {
    expect([isPlainGateQuery(query), isValid(query)]).toEqual([false, true]);
  });
});
