import { Html, html } from '../../../../http/html.js';

/** A quantity with its name; null is none, and shows as no bar. */
interface Bar {
  readonly label: string;
  readonly value: number | null;
}

/** A picture of some quantities. Its texts are the service's own. */
export interface BarChart {
  readonly title: string;
  /** What is to be seen, for those who do not see it. */
  readonly description: string;
  readonly bars: readonly Bar[];
  /** Where the axis ends; null is at the largest value. */
  readonly max: number | null;
  /** Lying bars leave room for long names. */
  readonly lying: boolean;
}

export type DrawBars = (chart: BarChart) => Html;

const WIDTH = 560;
const UPRIGHT_HEIGHT = 240;
const LYING_BAR_HEIGHT = 38;
const FONT_SIZE = 13;
/** The page's own colours, so that one picture serves light, dark and paper. */
const [INK, QUIET, LINE, BAR] = ['var(--text)', 'var(--quiet)', 'var(--line)', 'var(--accent)'];

/**
 * The charting library takes long to load, and is wanted seldom: it is loaded when the first report is made, piece by piece,
 * and only what draws bars, so that nobody else waits for it.
 */
export async function loadBarCharts(): Promise<DrawBars> {
  const core = await import('echarts/core');
  await import('echarts/lib/component/gridSimple.js');
  await import('echarts/lib/chart/bar.js');
  const { SVGRenderer } = await import('echarts/renderers');
  core.use([SVGRenderer]);
  return (chart) => {
    const height = chart.lying ? chart.bars.length * LYING_BAR_HEIGHT : UPRIGHT_HEIGHT;
    const drawing = core.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
    try {
      drawing.setOption(optionOf(chart));
      return accessiblePicture(drawing.renderToSVGString(), chart);
    } finally {
      drawing.dispose();
    }
  };
}

function optionOf({ bars, max, lying }: BarChart): Record<string, unknown> {
  const names = {
    type: 'category',
    data: bars.map(({ label }) => label),
    // Names that lie are read from the top.
    inverse: lying,
    axisTick: { show: false },
    axisLine: { show: !lying, lineStyle: { color: LINE } },
    axisLabel: { color: INK, fontSize: FONT_SIZE, interval: 0, margin: 12, lineHeight: 16 },
  };
  const quantities = {
    type: 'value',
    min: 0,
    minInterval: 1,
    ...(max === null ? { splitNumber: 4 } : { max, interval: max / 4 }),
    splitLine: { show: !lying, lineStyle: { color: LINE } },
    axisLabel: { show: !lying, color: QUIET, fontSize: FONT_SIZE },
  };
  return {
    animation: false,
    grid: lying ? { left: 124, right: 48, top: 0, bottom: 0 } : { left: 40, right: 4, top: 24, bottom: 44 },
    xAxis: lying ? quantities : names,
    yAxis: lying ? names : quantities,
    series: {
      type: 'bar',
      silent: true,
      barMaxWidth: lying ? 18 : 44,
      itemStyle: { color: BAR },
      label: {
        show: true,
        position: lying ? 'right' : 'top',
        color: INK,
        fontSize: FONT_SIZE,
        formatter: ({ value }: { readonly value: unknown }) => (typeof value === 'number' ? String(value) : ''),
      },
      data: bars.map(({ value }) => value),
    },
  };
}

/** What the library puts beside the picture for scripts and pointers: styles, their classes, and what a bar stands for. */
const NOT_THE_PICTURE = /<style[^>]*>[^]*?<\/style>\s*| (?:style|class|ecmeta_\w+|pointer-events)="[^"]*"/g;

/**
 * The picture alone, which takes its letters from the page's style sheet, with its name and description for those who are
 * read to (W3C, SVG Accessibility API Mappings, 8.1).
 */
function accessiblePicture(svg: string, { title, description }: BarChart): Html {
  const viewBox = /viewBox="[\d. ]+"/.exec(svg)?.[0];
  if (viewBox === undefined) throw new TypeError('A picture without its size.');
  const picture = svg.slice(svg.indexOf('>') + 1).replace(NOT_THE_PICTURE, '');
  const names = html`<title>${title}</title><desc>${description}</desc>`;
  return new Html(`<svg xmlns="http://www.w3.org/2000/svg" role="img" ${viewBox}>${names.text}${picture}`);
}
