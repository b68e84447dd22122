import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { landOnId } from '../ui/land-on.js';

/** After a navigation to a URL with a hash, lands on the element that the hash names, also if its data arrives later. */
export function useHashLanding(): void {
  const router = useRouter();
  useEffect(() => {
    let end = (): void => undefined;
    const land = (): void => {
      end();
      const { hash } = router.state.location;
      end = hash === '' ? () => undefined : landOnId(hash);
    };
    land();
    const stop = router.subscribe('onResolved', land);
    return () => {
      stop();
      end();
    };
  }, [router]);
}
