/** A gate that a release has passed: in tabs and beside the name. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="8" fill="#0b5cad"/>
  <path d="M7 25V14a9 9 0 0 1 18 0v11" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
  <path d="m11.5 18.5 3.5 3.5 6-7" fill="none" stroke="#8fe3bd" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
