import { describeDashboard } from './web/dashboard-under-test.js';
import { testReleaseList } from './web/release-list.web-spec.js';
import { testRelease } from './web/release.web-spec.js';

// `npm run test:browser` tests the other screens.
describeDashboard({
  releases: testReleaseList,
  'one release': testRelease,
});
