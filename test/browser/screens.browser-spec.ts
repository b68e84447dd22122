import { testAccessibility } from './web/accessibility.web-spec.js';
import { testBudgets } from './web/budgets.web-spec.js';
import { describeDashboard } from './web/dashboard-under-test.js';
import { testDecisions } from './web/decisions.web-spec.js';
import { testEntry } from './web/entry.web-spec.js';
import { testEnvironments } from './web/environments.web-spec.js';
import { testEvidence } from './web/evidence.web-spec.js';
import { testFreezes } from './web/freezes.web-spec.js';
import { testHistory } from './web/history.web-spec.js';
import { testHostileNames } from './web/hostile-names.web-spec.js';
import { testKeyboard } from './web/keyboard.web-spec.js';
import { testKeys } from './web/keys.web-spec.js';
import { testLive } from './web/live.web-spec.js';
import { testNetwork } from './web/network.web-spec.js';
import { testOverrides } from './web/overrides.web-spec.js';
import { testPalette } from './web/palette.web-spec.js';
import { testPrint } from './web/print.web-spec.js';
import { testProjects } from './web/projects.web-spec.js';
import { testQuality } from './web/quality.web-spec.js';
import { testRepositories } from './web/repositories.web-spec.js';
import { testReviews } from './web/reviews.web-spec.js';
import { testRunning } from './web/running.web-spec.js';
import { testSession } from './web/session.web-spec.js';
import { testSettings } from './web/settings.web-spec.js';
import { testTeam } from './web/team.web-spec.js';

// The screens that `npm test` omits, because together they take minutes.
describeDashboard({
  session: testSession,
  reviews: testReviews,
  history: testHistory,
  quality: testQuality,
  projects: testProjects,
  decisions: testDecisions,
  evidence: testEvidence,
  freezes: testFreezes,
  overrides: testOverrides,
  team: testTeam,
  keys: testKeys,
  settings: testSettings,
  repositories: testRepositories,
  running: testRunning,
  live: testLive,
  entry: testEntry,
  'the keyboard': testKeyboard,
  palette: testPalette,
  network: testNetwork,
  environments: testEnvironments,
  // These visit every screen, also with data of the tests before.
  'hostile names': testHostileNames,
  print: testPrint,
  accessibility: testAccessibility,
  budgets: testBudgets,
});
