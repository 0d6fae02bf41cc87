interface RowPlaceProps {
  row: number | null;
  /** Null unless the deliveries and their items are on two sheets. */
  sheet: string | null;
}

/** The number of a row, and its sheet. */
export function RowPlace({ row, sheet }: RowPlaceProps) {
  return (
    <>
      <span className="tabular-nums">{row}</span>
      {sheet && (
        <span dir="auto" className="block text-xs font-normal text-muted wrap-anywhere">
          {sheet}
        </span>
      )}
    </>
  );
}
