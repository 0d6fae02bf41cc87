import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '@/data/graphql';

const DEBOUNCE_MS = 300;
const LIMIT = 30;

const lookupQuery = graphql(`
  query PaletteDeliveries($text: String!, $limit: Int!) {
    deliveries(
      page: { where: [{ key: "id", operator: "startsWith", values: [$text] }], limit: $limit }
    ) {
      id
      customername
      deliverystatus
    }
  }
`);

export type FoundDelivery = ResultOf<typeof lookupQuery>['deliveries'][number];

interface DeliveryLookup {
  /** The text the answer belongs to. */
  text: string;
  searching: boolean;
  deliveries: FoundDelivery[];
}

/** Deliveries whose id starts with the text; none when the lookup fails. */
export function useDeliveryLookup(input: string): DeliveryLookup {
  const [text, setText] = useState('');
  const wanted = input.trim();

  useEffect(() => {
    const timer = setTimeout(() => setText(wanted), wanted ? DEBOUNCE_MS : 0);
    return () => clearTimeout(timer);
  }, [wanted]);

  const [{ data, fetching }] = useQuery({
    query: lookupQuery,
    variables: { text, limit: LIMIT },
    pause: !text,
  });
  return {
    text,
    searching: Boolean(wanted) && (fetching || wanted !== text),
    deliveries: text && wanted ? (data?.deliveries ?? []) : [],
  };
}
