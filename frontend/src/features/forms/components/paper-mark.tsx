/** A word in an outline: on paper there is no colour to rely on. */
export function PaperMark({ children }: { children: string }) {
  return (
    <span className="inline-flex items-center rounded-full border border-fg px-2 text-caps font-semibold whitespace-nowrap">
      {children}
    </span>
  );
}

export function PaperMarks({ marks }: { marks: readonly string[] }) {
  if (marks.length === 0) return null;
  return (
    <span className="mt-1 flex flex-wrap gap-1">
      {marks.map((mark) => (
        <PaperMark key={mark}>{mark}</PaperMark>
      ))}
    </span>
  );
}
