import { Link, useParams } from '@tanstack/react-router';
import { Banner } from '../../ui/banner.js';
import { text } from '../../texts/en/releases.js';

interface UngovernedNoticeProps {
  readonly count: number;
  /** The first day of the count, in UTC. */
  readonly from: string;
}

/** The number of deployments that bypassed the gate lately, with a link to them. */
export function UngovernedNotice({ count, from }: UngovernedNoticeProps) {
  const { org } = useParams({ from: '/session/w/$org' });
  return (
    <Banner label={text.ungovernedTitle} isDangerous>
      <p>{text.ungoverned(count)}</p>
      <Link to="/w/$org/history" params={{ org }} search={{ kind: 'ungoverned', from }}>
        {text.showUngoverned}
      </Link>
    </Banner>
  );
}
