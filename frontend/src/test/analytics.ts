import { type AnalyticsQuery, bucketKey } from '@/domain/analytics/query';

type Rows = Record<string, string | null>[];
type Path = (url: URL, init: RequestInit) => Response;

const TITLES: Record<string, string> = {
  'Delivery.count': 'Deliveries',
  'Delivery.pendingCount': 'Pending',
  'Delivery.onTimeRate': 'On time',
  'Delivery.firstAttemptRate': 'On first attempt',
  'Delivery.deliverystatus': 'Delivery Status',
  'Delivery.trucker': 'Trucker',
  'Delivery.scheduledatetime': 'Dispatch Date and Time',
  'Delivery.outcomeReason': 'Outcome Reason',
  'Driver.driverId': 'Driver ID',
  'Variance.reason': 'Reason',
  'CustomerReport.customername': 'Customer Name',
};

const titled = (name: string, type: string) => ({
  title: TITLES[name] ?? name,
  shortTitle: TITLES[name] ?? name,
  type,
});

function resultOf(query: AnalyticsQuery, data: Rows) {
  const { measures = [], dimensions = [], timeDimensions = [] } = query;
  return {
    query: { measures, dimensions, limit: query.limit ?? 10_000, timezone: query.timezone },
    data,
    annotation: {
      measures: Object.fromEntries(measures.map((name) => [name, titled(name, 'number')])),
      dimensions: Object.fromEntries(dimensions.map((name) => [name, titled(name, 'string')])),
      timeDimensions: Object.fromEntries(
        timeDimensions.flatMap((time) => [
          [time.dimension, titled(time.dimension, 'time')],
          [bucketKey(time), titled(time.dimension, 'time')],
        ]),
      ),
      segments: {},
    },
    lastRefreshTime: '2026-11-20T07:04:00.000Z',
  };
}

export function analyticsJson(body: unknown, status = 200, statusText = ''): Response {
  return new Response(JSON.stringify(body), { status, statusText, headers: { 'content-type': 'application/json' } });
}

/** Fake responses of the analytics service by path; queries are recorded in order. */
export function analyticsPaths(rowsOf: (query: AnalyticsQuery) => Rows | Response) {
  const asked: AnalyticsQuery[] = [];
  const labHeaders: (string | null)[] = [];
  const load: Path = (url, init) => {
    const sent: unknown = url.searchParams.get('query') ?? (JSON.parse(String(init.body)) as { query: unknown }).query;
    const query = (typeof sent === 'string' ? JSON.parse(sent) : sent) as AnalyticsQuery;
    asked.push(query);
    labHeaders.push(new Headers(init.headers).get('x-query-lab'));
    const rows = rowsOf(query);
    if (rows instanceof Response) return rows;
    const result = resultOf(query, rows);
    return analyticsJson(url.pathname === '/load' ? result : { queryType: 'regularQuery', results: [result] });
  };
  const member = (name: string, type: string) => ({ name, ...titled(name, type) });
  const meta: Path = () =>
    analyticsJson({
      cubes: [
        {
          name: 'Delivery',
          title: 'Deliveries',
          measures: [member('Delivery.count', 'number'), member('Delivery.onTimeRate', 'number')],
          dimensions: [
            member('Delivery.deliverystatus', 'string'),
            member('Delivery.trucker', 'string'),
            member('Delivery.scheduledatetime', 'time'),
          ],
          segments: [],
        },
      ],
    });
  const sql: Path = () =>
    analyticsJson({ sql: { sql: ['SELECT count(*) FROM delivery_fact WHERE delivery_status = $1', ['Pending']], order: {}, source: 'rollup' } });
  return {
    asked,
    /** The header of each query by which the query lab has its runs recorded. */
    labHeaders,
    paths: {
      '/load': load,
      '/cubejs-api/v1/load': load,
      '/cubejs-api/v1/meta': meta,
      '/cubejs-api/v1/sql': sql,
    } as Record<string, Path>,
  };
}

/** A row with a day, as the service returns it. */
export function dayRow(day: string, status: string, count: number) {
  return {
    'Delivery.scheduledatetime.day': `${day}T00:00:00.000`,
    'Delivery.scheduledatetime': `${day}T00:00:00.000`,
    'Delivery.deliverystatus': status,
    'Delivery.count': String(count),
  };
}
