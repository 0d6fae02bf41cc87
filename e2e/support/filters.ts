// Filters of a list as they are in its address.

export interface Filter {
  key: string;
  operator: string;
  values: { label: string; value: string }[];
}

/** Returns a filter whose values are their own labels. */
export const filterOf = (key: string, operator: string, ...values: string[]): Filter => ({
  key,
  operator,
  values: values.map((value) => ({ label: value, value })),
});

/** Returns the value of the parameter `filters`. */
export const toAddress = (...filters: Filter[]): string => Buffer.from(JSON.stringify(filters)).toString('base64');

export function filtersIn(address: string): Filter[] {
  const text = new URL(address, 'http://product').searchParams.get('filters')!;
  return JSON.parse(Buffer.from(text, 'base64').toString());
}
