# Writes docs/checks/*.md as rows of Lists.cpp's table, a string per line of
# text: cmake -DOUTPUT=FILE -DFOLDER=DIR -P EmbedPages.cmake
file(GLOB Pages "${FOLDER}/*.md")
list(SORT Pages)
set(Rows "")
foreach(Page ${Pages})
  get_filename_component(Name "${Page}" NAME_WE)
  file(READ "${Page}" Text)
  # Raw strings end only at this mark, which no page contains.
  string(APPEND Rows "{\"${Name}\", R\"~~~page~~~(${Text})~~~page~~~\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${Rows}")
