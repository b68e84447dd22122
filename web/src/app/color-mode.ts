import highContrast from './high-contrast.css?url';

/** The color modes of the page. `auto` follows the operating system. */
export const COLOR_MODES = ['auto', 'light', 'dark'] as const;
export type ColorMode = (typeof COLOR_MODES)[number];

const STORED = 'shipgate-color-mode';
const MORE_CONTRAST = matchMedia('(prefers-contrast: more)');

export const readColorMode = (): ColorMode =>
  COLOR_MODES.find((mode) => mode === localStorage.getItem(STORED)) ?? 'auto';

/** Stores the color mode of this browser and applies it. */
export function setColorMode(mode: ColorMode): void {
  localStorage.setItem(STORED, mode);
  applyColorMode();
}

/** Applies the stored color mode. Themes with more contrast are loaded only for users who set this in their operating system. */
export function applyColorMode(): void {
  const { dataset } = document.documentElement;
  dataset['colorMode'] = readColorMode();
  const suffix = MORE_CONTRAST.matches ? '_high_contrast' : '';
  if (MORE_CONTRAST.matches && !document.querySelector(`link[href="${highContrast}"]`))
    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: highContrast }));
  dataset['lightTheme'] = `light${suffix}`;
  dataset['darkTheme'] = `dark${suffix}`;
}

MORE_CONTRAST.addEventListener('change', applyColorMode);
