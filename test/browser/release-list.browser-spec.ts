import { describeDashboard } from './web/dashboard-under-test.js';
import { testReleaseList } from './web/release-list.web-spec.js';

// Its tests compare the list with the data of the demonstration, which the other screens change.
describeDashboard({ releases: testReleaseList });
