import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { estimate, estimateLimits, sum, writeVerdict } from './estimate.js';
import { type Assumptions, DEFAULT_ASSUMPTIONS as USUAL, MEASURED } from './inputs.js';

const without = (...names: readonly (keyof Assumptions)[]): Assumptions => ({
  ...USUAL,
  ...Object.fromEntries(names.map((name) => [name, 0])),
});

describe('the measurements', () => {
  const page = readFileSync('docs/performance.md', 'utf8');
  const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

  it.each(Object.entries(MEASURED))('match the page: %s', (_, { section, quote }) => {
    const [, text = ''] = page.split(`\n## ${section}\n`);
    expect(onOneLine(text.split('\n## ')[0] ?? '')).toContain(onOneLine(quote));
  });
});

describe('the estimate', () => {
  it('has two processes of each kind for the smallest installation', () => {
    expect(estimate(1, USUAL)).toMatchObject({ webProcesses: 2, workerProcesses: 2, connections: 64 });
  });

  it('grows in proportion to the repositories', () => {
    const [one, ten] = [estimate(100_000, USUAL), estimate(1_000_000, USUAL)];
    expect(sum(ten.databaseBytes) / sum(one.databaseBytes)).toBeCloseTo(10);
    expect(sum(ten.databaseCores) / sum(one.databaseCores)).toBeCloseTo(10);
    expect(ten.workerProcesses / one.workerProcesses).toBeCloseTo(10, 0);
  });

  it('counts the whole time for which a job waits for GitHub', () => {
    const slow = estimate(1_000_000, {
      ...USUAL,
      gitHubSecondsPerRefresh: USUAL.gitHubSecondsPerRefresh * 4,
      gitHubSecondsPerSync: USUAL.gitHubSecondsPerSync * 4,
    });
    expect(slow.workerProcesses / estimate(1_000_000, USUAL).workerProcesses).toBeGreaterThan(3.5);
    expect(sum(slow.databaseCores)).toBe(sum(estimate(1_000_000, USUAL).databaseCores));
  });

  it('stores deliveries for eight days, and the other data of a release for the year', () => {
    const { databaseBytes } = estimate(1, without('releasesPerMonth'));
    expect(sum(databaseBytes)).toBe(USUAL.deliveriesPerDay * 8 * MEASURED.deliveryBytes.value + USUAL.repositoryBytes);
  });

  it('opens a process for each 2,000 event streams', () => {
    const quiet = without('pagesPerHour', 'releasesPerMonth', 'deliveriesPerDay');
    const repositories = (10_000 / USUAL.usersOnline) * USUAL.repositoriesPerWorkspace;
    expect(estimate(repositories, quiet).webProcesses).toBe(5);
  });
});

describe('the first limit', () => {
  it('is the number of repositories above which the need exceeds the available amount', () => {
    for (const { resource, available, repositories } of estimateLimits(1_000, USUAL)) {
      const neededAt = (count: number) =>
        estimateLimits(count, USUAL).find((limit) => limit.resource === resource)?.needed;
      expect(neededAt(repositories)).toBeLessThanOrEqual(available);
      expect(neededAt(repositories + 1)).toBeGreaterThan(available);
    }
  });

  it('is another resource if the first one is extended', () => {
    const [first, second] = estimateLimits(1_000, USUAL);
    expect(first?.resource).toBe('calls of the app itself to GitHub in an hour');
    const [moved] = estimateLimits(1_000, { ...USUAL, gitHubCallsOfTheApp: USUAL.gitHubCallsOfTheApp * 100 });
    expect(moved?.resource).toBe(second?.resource);
  });
});

describe('the verdict', () => {
  const [first] = estimateLimits(1, USUAL);
  const most = first?.repositories ?? 0;

  it('says that a small installation fits, and which limit comes first', () => {
    expect(writeVerdict(10, USUAL)).toBe(
      `10 repositories fit: they need 2 web processes, 2 workers and 64 connections. The first limit is the ${first?.resource}, enough for ${most.toLocaleString('en')} repositories.`,
    );
  });

  it('says what to do if the first limit is exceeded', () => {
    expect(writeVerdict(most, USUAL)).toContain('repositories fit: ');
    const beyond = writeVerdict(most + 1, USUAL);
    expect(beyond).toContain('repositories do not fit as they are: ');
    expect(beyond).toContain(`It is moved by ${first?.movedBy}.`);
  });
});
