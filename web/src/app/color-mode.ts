import highContrast from './high-contrast.css?url';

/** The color modes of the page. `auto` follows the operating system. */
export const COLOR_MODES = ['auto', 'light', 'dark'] as const;
export type ColorMode = (typeof COLOR_MODES)[number];

const STORED = 'shipgate-color-mode';
const PRINT = matchMedia('print');
const MORE_CONTRAST = matchMedia('(prefers-contrast: more)');

let isPrinting = false;

export const readColorMode = (): ColorMode =>
  COLOR_MODES.find((mode) => mode === localStorage.getItem(STORED)) ?? 'auto';

/** Stores the color mode of this browser and applies it. */
export function setColorMode(mode: ColorMode): void {
  localStorage.setItem(STORED, mode);
  applyColorMode();
}

/** Applies the stored color mode, or on paper the light one. Themes with more contrast are loaded only for users who set this in their operating system. */
export function applyColorMode(): void {
  const { dataset } = document.documentElement;
  dataset['colorMode'] = isPrinting || PRINT.matches ? 'light' : readColorMode();
  const suffix = MORE_CONTRAST.matches ? '_high_contrast' : '';
  if (MORE_CONTRAST.matches && !document.querySelector(`link[href="${highContrast}"]`))
    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: highContrast }));
  dataset['lightTheme'] = `light${suffix}`;
  dataset['darkTheme'] = `dark${suffix}`;
}

MORE_CONTRAST.addEventListener('change', applyColorMode);

PRINT.addEventListener('change', applyColorMode);
// A browser reads the page between these two, and some do not report the other medium before.
for (const type of ['beforeprint', 'afterprint'] as const) {
  addEventListener(type, () => {
    isPrinting = type === 'beforeprint';
    applyColorMode();
  });
}
