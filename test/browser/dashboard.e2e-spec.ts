import { describe } from '@jest/globals';
import { CHROMIUM } from './chromium.js';
import { DashboardUnderTest } from './web/dashboard-under-test.js';
import { testDecisions } from './web/decisions.web-spec.js';
import { testEntry } from './web/entry.web-spec.js';
import { testEvidence } from './web/evidence.web-spec.js';
import { testFreezes } from './web/freezes.web-spec.js';
import { testHistory } from './web/history.web-spec.js';
import { testKeys } from './web/keys.web-spec.js';
import { testLive } from './web/live.web-spec.js';
import { testOverrides } from './web/overrides.web-spec.js';
import { testProjects } from './web/projects.web-spec.js';
import { testQuality } from './web/quality.web-spec.js';
import { testReleaseList } from './web/release-list.web-spec.js';
import { testRelease } from './web/release.web-spec.js';
import { testRepositories } from './web/repositories.web-spec.js';
import { testReviews } from './web/reviews.web-spec.js';
import { testSession } from './web/session.web-spec.js';
import { testSettings } from './web/settings.web-spec.js';
import { testTeam } from './web/team.web-spec.js';

/** The tests of the dashboard, in the order in which they run. */
const TESTS = {
  session: testSession,
  releases: testReleaseList,
  'one release': testRelease,
  reviews: testReviews,
  history: testHistory,
  quality: testQuality,
  projects: testProjects,
  live: testLive,
  decisions: testDecisions,
  evidence: testEvidence,
  freezes: testFreezes,
  overrides: testOverrides,
  entry: testEntry,
  team: testTeam,
  keys: testKeys,
  settings: testSettings,
  repositories: testRepositories,
};

const inBrowser = CHROMIUM === null ? describe.skip : describe;
const title = CHROMIUM === null ? 'the dashboard (skipped: no Chromium; name one in CHROMIUM)' : 'the dashboard';

// One file, because all of them share one service.
inBrowser(title, () => {
  const dashboard = DashboardUnderTest.forTests();
  describe.each(Object.entries(TESTS))('%s', (_, test) => {
    test(dashboard);
  });
});
