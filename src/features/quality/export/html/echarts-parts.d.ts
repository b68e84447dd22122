/** Parts that register themselves when they are loaded; their package describes only collections of them. */
declare module 'echarts/lib/component/gridSimple.js';
declare module 'echarts/lib/chart/bar.js';
