import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '@/data/graphql';

const DEBOUNCE_MS = 300;
const DELIVERIES = 30;
const PARTIES = 5;
/**
 * From this length on, the server matches the text anywhere. A shorter text would match too many rows, so it matches
 * only the beginning.
 */
const LETTERS_OF_A_PART = 3;

const deliveriesLookup = graphql(`
  query PaletteDeliveries($text: String!, $operator: String!, $limit: Int!) {
    deliveries(
      page: { where: [{ key: "id", operator: $operator, values: [$text] }], limit: $limit }
    ) {
      id
      customername
      deliverystatus
    }
    byReference: deliveries(
      page: { where: [{ key: "referencedoc", operator: $operator, values: [$text] }], limit: $limit }
    ) {
      id
      customername
      deliverystatus
    }
  }
`);

const partiesLookup = graphql(`
  query PaletteParties($text: String!, $limit: Int!) {
    customers(
      page: { where: [{ key: "customerName", operator: "contains", values: [$text] }], limit: $limit }
    ) {
      customerName
      customerAddress
    }
    drivers(page: { where: [{ key: "name", operator: "contains", values: [$text] }], limit: $limit }) {
      driverId
      name
    }
    driversById: drivers(
      page: { where: [{ key: "driverId", operator: "startsWith", values: [$text] }], limit: $limit }
    ) {
      driverId
      name
    }
  }
`);

export type FoundDelivery = ResultOf<typeof deliveriesLookup>['deliveries'][number];
type FoundCustomer = ResultOf<typeof partiesLookup>['customers'][number];
type FoundDriver = ResultOf<typeof partiesLookup>['drivers'][number];

interface PaletteLookup {
  /** The text that the results belong to. */
  text: string;
  searching: boolean;
  deliveries: FoundDelivery[];
  customers: FoundCustomer[];
  drivers: FoundDriver[];
}

function unique<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}

/** Finds deliveries by Delivery Doc or Reference Doc, customers and drivers; a failed lookup returns none. */
export function usePaletteLookup(input: string): PaletteLookup {
  const [text, setText] = useState('');
  const wanted = input.trim();

  useEffect(() => {
    const timer = setTimeout(() => setText(wanted), wanted ? DEBOUNCE_MS : 0);
    return () => clearTimeout(timer);
  }, [wanted]);

  const operator = text.length < LETTERS_OF_A_PART ? 'startsWith' : 'contains';
  const [found] = useQuery({
    query: deliveriesLookup,
    variables: { text, operator, limit: DELIVERIES },
    pause: !text,
  });
  const [parties] = useQuery({
    query: partiesLookup,
    variables: { text, limit: PARTIES },
    pause: !text,
  });
  // While the next text waits or loads, urql still has the results of the previous one. Enter must not open those.
  const isAnswer = ({ operation }: typeof found | typeof parties) =>
    Boolean(wanted) && operation?.variables.text === wanted;
  const { deliveries = [], byReference = [] } = (isAnswer(found) && found.data) || {};
  const { customers = [], drivers = [], driversById = [] } = (isAnswer(parties) && parties.data) || {};
  return {
    text,
    searching: Boolean(wanted) && (found.fetching || parties.fetching || wanted !== text),
    deliveries: unique([...deliveries, ...byReference], ({ id }) => id).slice(0, DELIVERIES),
    customers,
    drivers: unique([...drivers, ...driversById], ({ driverId }) => driverId).slice(0, PARTIES),
  };
}
