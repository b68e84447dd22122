import { describe } from '@jest/globals';
import { CHROMIUM } from './chromium.js';
import { DashboardUnderTest } from './web/dashboard-under-test.js';
import { testLive } from './web/live.web-spec.js';
import { testRelease } from './web/release.web-spec.js';
import { testHistory } from './web/history.web-spec.js';
import { testQuality } from './web/quality.web-spec.js';
import { testReleaseList } from './web/release-list.web-spec.js';
import { testReviews } from './web/reviews.web-spec.js';
import { testEntry } from './web/entry.web-spec.js';
import { testKeys } from './web/keys.web-spec.js';
import { testRepositories } from './web/repositories.web-spec.js';
import { testSession } from './web/session.web-spec.js';
import { testSettings } from './web/settings.web-spec.js';
import { testTeam } from './web/team.web-spec.js';

const inBrowser = CHROMIUM === null ? describe.skip : describe;
const title = CHROMIUM === null ? 'the dashboard (skipped: no Chromium; name one in CHROMIUM)' : 'the dashboard';

// One file, because all of them share one service.
inBrowser(title, () => {
  const dashboard = DashboardUnderTest.forTests();

  describe('session', () => {
    testSession(dashboard);
  });
  describe('releases', () => {
    testReleaseList(dashboard);
  });
  describe('one release', () => {
    testRelease(dashboard);
  });

  describe('reviews', () => {
    testReviews(dashboard);
  });
  describe('history', () => {
    testHistory(dashboard);
  });
  describe('quality', () => {
    testQuality(dashboard);
  });
  describe('live', () => {
    testLive(dashboard);
  });
  describe('entry', () => {
    testEntry(dashboard);
  });
  describe('team', () => {
    testTeam(dashboard);
  });
  describe('keys', () => {
    testKeys(dashboard);
  });
  describe('settings', () => {
    testSettings(dashboard);
  });
  describe('repositories', () => {
    testRepositories(dashboard);
  });
});
