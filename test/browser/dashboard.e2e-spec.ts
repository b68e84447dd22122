import { describeDashboard } from './web/dashboard-under-test.js';
import { testRelease } from './web/release.web-spec.js';

// `npm run test:browser` tests the other screens.
describeDashboard({ 'one release': testRelease });
