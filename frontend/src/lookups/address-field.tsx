import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { LookupField } from '@/form/lookup-field';
import { formatPoint } from '@/proof/place';
import type { GeoPoint } from './geo-point';
import { useAddressLookup } from './use-address-lookup';

export interface PlacedAddress {
  address: string;
  /** Null while the place of the address is not known. */
  point: GeoPoint | null;
}

interface AddressFieldProps extends Pick<
  ComponentProps<typeof LookupField>,
  'label' | 'error' | 'optional' | 'onBlur' | 'name' | 'ref'
> {
  value: PlacedAddress;
  /** As it is saved: whoever types that address again means that place. */
  saved: PlacedAddress;
  onChange: (value: PlacedAddress) => void;
}

const MAX_LENGTH = 500;

/** An address, with the place on the map of one that was chosen from the suggestions. */
export function AddressField({ value, saved, onChange, ...field }: AddressFieldProps) {
  const { t } = useTranslation('lookups');
  const { lookup, pointOf } = useAddressLookup();

  function change(address: string, isChosen: boolean) {
    const known = isChosen ? pointOf(address) : null;
    onChange({ address, point: known ?? (address === saved.address ? saved.point : null) });
  }

  return (
    <LookupField
      {...field}
      lookup={lookup}
      maxLength={MAX_LENGTH}
      value={value.address}
      onChange={(address, chosen) => change(address, chosen !== undefined)}
      hint={
        value.point
          ? t('address.placed', { point: formatPoint(value.point) })
          : t('address.notPlaced')
      }
    />
  );
}
