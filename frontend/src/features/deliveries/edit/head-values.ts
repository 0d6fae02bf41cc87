import { type PlacedAddress, plainPoint } from '@/domain/lookups/address-field';
import { INVALID_DATE } from '@/form/date-text';
import { fromWallTime, isDay, toWallTime } from '@/lib/dates';
import type { Delivery } from '../delivery-queries';
import { eachText, HEAD_TEXTS, type HeadText } from './head-texts';

/** What the office enters of a delivery, as it stands in the boxes. */
export interface HeadValues extends Record<HeadText, string> {
  referencedoc: string;
  shipmentnumber: string;
  customername: string;
  customeraddress: PlacedAddress;
  trucker: string;
  driverId: string;
  dispatchDate: string;
  dispatchTime: string;
  timeWindowStart: string;
  timeWindowEnd: string;
  priority: Delivery['priority'];
}

export function emptyHead(): HeadValues {
  return {
    referencedoc: '',
    shipmentnumber: '',
    customername: '',
    customeraddress: { address: '', point: null },
    trucker: '',
    driverId: '',
    dispatchDate: '',
    dispatchTime: '',
    timeWindowStart: '',
    timeWindowEnd: '',
    ...eachText(() => ''),
    priority: 'normal',
  };
}

const wallTime = (instant: string | null, timeZone: string) =>
  instant === null ? '' : toWallTime(instant, timeZone);

export function headOf(delivery: Delivery, timeZone: string): HeadValues {
  const [dispatchDate = '', dispatchTime = ''] = toWallTime(
    delivery.scheduledatetime,
    timeZone,
  ).split('T');
  return {
    referencedoc: delivery.referencedoc ?? '',
    shipmentnumber: delivery.shipmentnumber,
    customername: delivery.customername,
    customeraddress: {
      address: delivery.customeraddress,
      point: plainPoint(delivery.addressPoint),
    },
    trucker: delivery.trucker,
    driverId: delivery.driverId ?? '',
    dispatchDate,
    dispatchTime,
    timeWindowStart: wallTime(delivery.timeWindowStart, timeZone),
    timeWindowEnd: wallTime(delivery.timeWindowEnd, timeZone),
    ...eachText((name) => delivery[name] ?? ''),
    priority: delivery.priority,
  };
}

/** An untouched time is sent as it was: the boxes know no seconds. */
function instantOf(text: string, before: string | null | undefined, timeZone: string) {
  if (before && toWallTime(before, timeZone) === text) return before;
  return fromWallTime(text, timeZone) ?? null;
}

type Times = Pick<Delivery, 'scheduledatetime' | 'timeWindowStart' | 'timeWindowEnd'>;

/** What is sent of the boxes. */
export function headInput(values: HeadValues, before: Times | undefined, timeZone: string) {
  const text = (box: string) => box.trim() || null;
  const dispatch = `${values.dispatchDate}T${values.dispatchTime}`;
  return {
    referencedoc: text(values.referencedoc),
    shipmentnumber: values.shipmentnumber.trim(),
    customername: values.customername.trim(),
    customeraddress: values.customeraddress.address.trim(),
    addressPoint: values.customeraddress.point,
    trucker: values.trucker.trim(),
    driverId: text(values.driverId),
    scheduledatetime: instantOf(dispatch, before?.scheduledatetime, timeZone) ?? '',
    timeWindowStart: instantOf(values.timeWindowStart, before?.timeWindowStart, timeZone),
    timeWindowEnd: instantOf(values.timeWindowEnd, before?.timeWindowEnd, timeZone),
    ...eachText((name) => text(values[name])),
    priority: values.priority,
  };
}

/** The newer values, with what was typed here in place of theirs. */
export function mergeHead(before: HeadValues, typed: HeadValues, after: HeadValues): HeadValues {
  const isTyped = (key: keyof HeadValues) =>
    JSON.stringify(typed[key]) !== JSON.stringify(before[key]);
  const kept = (Object.keys(after) as (keyof HeadValues)[])
    .filter(isTyped)
    .map((key) => [key, typed[key]]);
  return { ...after, ...(Object.fromEntries(kept) as Partial<HeadValues>) };
}

export const dateRules = {
  required: true,
  validate: (text: string) => isDay(text) || INVALID_DATE,
};

/** In the order on screen, by the names that the server has for them where they differ. */
export const HEAD_FIELDS = [
  'referencedoc',
  'shipmentnumber',
  'customername',
  'customeraddress',
  'trucker',
  'driverId',
  'dispatchDate',
  'dispatchTime',
  'timeWindowStart',
  'timeWindowEnd',
  ...HEAD_TEXTS,
  'priority',
] as const;
