# Doxygen's filter of a header: its comments become documentation.
#
# A block of // before a declaration documents it, the block at the head the file, a // behind a declaration that one.  Indented
# lines behind an empty line or a colon are shown as they are.  Blocks before an empty line and separators stay comments.
function escaped(text,    parts, count, i, all) {
  gsub(/[\\@<>#%&$"]/, "\\\\&", text)
  gsub(/::/, "\\::", text)
  count = split(text, parts, "`")  # code between backticks
  all = parts[1]
  for (i = 2; i <= count; ++i) all = all (count % 2 == 0 ? "'" : i % 2 == 0 ? "<tt>" : "</tt>") parts[i]
  return all
}
function flush_block(documents,    i, text, shown, before) {
  for (i = 1; i <= lines; ++i) {
    text = block[i]
    sub(/^[ \t]*\/\/ ?/, "", text)
    if (!documents) {
      print block[i]
      continue
    }
    if (text ~ /^  / && !shown && before ~ /(^|:)$/) { print "/// @code{.unparsed}"; shown = 1 }
    if (text !~ /^  / && text != "" && shown) { print "/// @endcode"; shown = 0 }
    if (text ~ /^[A-Z][a-z ]+:  /) print "/// "  # From:  Promises:  Does not:
    print "/// " (shown ? text : escaped(text))
    before = text
  }
  if (documents && shown) print "/// @endcode"
  lines = 0
}
FNR == 1 { at_head = 1; print "/// @file" }
/^[ \t]*\/\// && !behind {
  block[++lines] = $0
  next
}
{
  if (lines > 0) flush_block(at_head || ($0 !~ /^[ \t]*$/ && block[1] !~ /\/\/ ---/))
  at_head = 0
  if (behind && $0 ~ /^[ \t]*\/\//) {  # goes on with the comment of the line before
    text = $0
    sub(/^[ \t]*\/\/ ?/, "", text)
    print "///< " escaped(text)
    next
  }
  behind = 0
  if (match($0, /[;,{}]  +\/\/ /) && $0 !~ /^[ \t]*(}|return|#|if|for)/ && $0 !~ /\/\/ (namespace|NOLINT)/) {
    code = substr($0, 1, RSTART)
    text = substr($0, RSTART + RLENGTH)
    print code " ///< " escaped(text)
    behind = code ~ /[;,]$/
    next
  }
  print
}
END { if (lines > 0) flush_block(0) }
