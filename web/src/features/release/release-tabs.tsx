import { useLocation, useParams } from '@tanstack/react-router';
import { Tab, TabNav } from '../../ui/tab-nav.js';
import { text } from '../../texts/en/release.js';

/** The parts of a release. Each has a URL. The first one is also that of the release. */
const TABS = ['scope', 'evidence', 'checks', 'approvals', 'decisions', 'overrides', 'policy'] as const;

/** Links to the parts of a release. The position on the page stays. */
export function ReleaseTabs() {
  const params = useParams({ from: '/session/w/$org/releases/$id' });
  const { pathname } = useLocation();
  const part = pathname.split('/')[5] ?? TABS[0];
  return (
    <TabNav label={text.parts}>
      {TABS.map((tab) => (
        <Tab
          key={tab}
          to={`/w/$org/releases/$id/${tab}`}
          params={params}
          resetScroll={false}
          {...(tab === part && { 'aria-current': 'page' as const })}
        >
          {text.tabs[tab]}
        </Tab>
      ))}
    </TabNav>
  );
}
