import { describeDashboard } from './web/dashboard-under-test.js';
import { testEntry } from './web/entry.web-spec.js';
import { testLive } from './web/live.web-spec.js';
import { testReleaseList } from './web/release-list.web-spec.js';
import { testRelease } from './web/release.web-spec.js';
import { testSession } from './web/session.web-spec.js';

// `npm run test:browser` tests the other screens.
describeDashboard({
  session: testSession,
  releases: testReleaseList,
  'one release': testRelease,
  live: testLive,
  entry: testEntry,
});
