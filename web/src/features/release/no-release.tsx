import { useLocation, useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../ui/links.js';
import { NotVisible } from '../../ui/not-visible.js';
import { text } from '../../texts/en/release.js';

/** The content of a link to a release that does not exist or that the user may not see, by its name if the link has one. */
export function NoRelease({ name = text.thisRelease }: { readonly name?: string }) {
  const { org } = useParams({ from: '/session/w/$org' });
  const { href } = useLocation();
  return (
    <NotVisible title={text.notVisible(name)} returnTo={href}>
      <ButtonLink to="/w/$org/releases" params={{ org }}>
        {text.toReleases}
      </ButtonLink>
    </NotVisible>
  );
}
