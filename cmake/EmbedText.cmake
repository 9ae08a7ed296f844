# cmake "-DINPUTS=a.html;b.css" -DOUTPUT=x.cpp -P EmbedText.cmake: files as C++ strings, kPageHtml, kPageCss and so on
# after their suffixes.
set(code "#include \"tools/report/page_parts.h\"\nnamespace millrace::tools::report {\n")
foreach(input IN LISTS INPUTS)
  file(READ "${input}" text)
  get_filename_component(suffix "${input}" LAST_EXT)
  string(SUBSTRING "${suffix}" 1 1 first)
  string(SUBSTRING "${suffix}" 2 -1 rest)
  string(TOUPPER "${first}" first)
  string(APPEND code "const char kPage${first}${rest}[] = R\"PAGE(${text})PAGE\";\n")
endforeach()
file(WRITE "${OUTPUT}" "${code}}\n")
